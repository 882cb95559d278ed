//! A Vulkan driver that runs shaders on buffers: as little of Vulkan as that takes.
//!
//! Everything is made anew for each run and waited for. Nothing but storage and uniform buffers, push constants and
//! specialisation constants is bound; fragment shaders are in `draw`.

use ash::vk;
use std::collections::BTreeMap;
use std::ffi::CString;
use vitrine_core::interp::Slot;

/// The inputs of a shader.
pub(crate) struct Dispatch<'d> {
    /// SPIR-V.
    pub(crate) words: &'d [u32],
    /// Name of the entry point.
    pub(crate) entry: &'d str,
    /// Bytes of each binding, and whether it is a uniform buffer.
    pub(crate) buffers: &'d BTreeMap<Slot, (bool, Vec<Vec<u8>>)>,
    /// Bytes of the push constants.
    pub(crate) push: &'d [u8],
    /// Values of specialisation constants of 32 bits.
    pub(crate) specs: &'d [(u32, u32)],
    /// The work.
    pub(crate) work: Work,
}

/// The command that runs a shader.
#[derive(Clone, Copy)]
pub(crate) enum Work {
    /// So many workgroups.
    Groups([u32; 3]),
    /// A frame of so many pixels, filled by one triangle.
    Frame([u32; 2]),
}

/// The results of a run.
#[derive(Default)]
pub(crate) struct Left {
    /// Bytes of each binding.
    pub(crate) buffers: BTreeMap<Slot, Vec<Vec<u8>>>,
    /// For each colour location the words of its pixels, four each, row by row.
    pub(crate) colours: BTreeMap<u32, Vec<u32>>,
}

/// An open driver.
pub(crate) struct Device {
    _entry: ash::Entry,
    instance: ash::Instance,
    pub(super) device: ash::Device,
    queue: vk::Queue,
    pool: vk::CommandPool,
    memory_type: u32,
    /// The name of the driver, with its version.
    pub(crate) name: String,
    /// Invocations of a subgroup.
    pub(crate) subgroup: u32,
}

/// Stages that see what is bound.
const STAGES: vk::ShaderStageFlags = vk::ShaderStageFlags::from_raw(
    vk::ShaderStageFlags::COMPUTE.as_raw() | vk::ShaderStageFlags::FRAGMENT.as_raw(),
);

impl Dispatch<'_> {
    fn kind(&self, slot: &Slot) -> vk::DescriptorType {
        match self.buffers[slot].0 {
            true => vk::DescriptorType::UNIFORM_BUFFER,
            false => vk::DescriptorType::STORAGE_BUFFER,
        }
    }

    /// The name of the entry point as Vulkan wants it.
    pub(super) fn name(&self) -> Failure<CString> {
        CString::new(self.entry).map_err(|_| "a name with a zero".to_owned())
    }

    /// Specialisation constants as Vulkan wants them.
    pub(super) fn special(&self) -> (Vec<vk::SpecializationMapEntry>, Vec<u8>) {
        let entry = |(at, &(id, _)): (u32, &(u32, u32))| {
            vk::SpecializationMapEntry::default().constant_id(id).offset(at * 4).size(4)
        };
        let data = self.specs.iter().flat_map(|(_, value)| value.to_le_bytes()).collect();
        ((0u32..).zip(self.specs).map(entry).collect(), data)
    }
}

/// A buffer that both sides can see.
pub(super) struct Buffer {
    pub(super) buffer: vk::Buffer,
    memory: vk::DeviceMemory,
    size: u64,
}

pub(super) type Failure<T> = Result<T, String>;

pub(super) fn says(what: &'static str) -> impl Fn(vk::Result) -> String {
    move |error| format!("{what}: {error}")
}

impl Device {
    /// Opens the first driver that runs on the processor; why not otherwise.
    pub(crate) fn open() -> Failure<Device> {
        // SAFETY: the Vulkan loader of the system is trusted; all handles below live as long as the device.
        unsafe {
            let entry = ash::Entry::load().map_err(|error| format!("no Vulkan loader: {error}"))?;
            let app = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_2);
            let info = vk::InstanceCreateInfo::default().application_info(&app);
            let instance = entry.create_instance(&info, None).map_err(says("no instance"))?;
            let all = instance.enumerate_physical_devices().map_err(says("no devices"))?;
            let of_processor = |&&one: &&vk::PhysicalDevice| {
                instance.get_physical_device_properties(one).device_type == vk::PhysicalDeviceType::CPU
            };
            let Some(&physical) = all.iter().find(of_processor) else {
                return Err("no driver that runs on the processor".to_owned());
            };
            let mut v12 = vk::PhysicalDeviceVulkan12Features::default();
            let mut v11 = vk::PhysicalDeviceVulkan11Features::default();
            let mut features = vk::PhysicalDeviceFeatures2::default().push_next(&mut v11).push_next(&mut v12);
            instance.get_physical_device_features2(physical, &mut features);
            // Bounds are checked by the driver too: what is out of bounds is left out of the comparison anyway.
            features.features.robust_buffer_access = vk::TRUE;
            let queues =
                [vk::DeviceQueueCreateInfo::default().queue_family_index(0).queue_priorities(&[1.0])];
            let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues).push_next(&mut features);
            let device = instance.create_device(physical, &info, None).map_err(says("no device"))?;
            let pool = vk::CommandPoolCreateInfo::default();
            let pool = device.create_command_pool(&pool, None).map_err(says("no command pool"))?;
            let memory = instance.get_physical_device_memory_properties(physical);
            let wanted = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
            let types = memory.memory_types_as_slice();
            let memory_type = types.iter().position(|kind| kind.property_flags.contains(wanted)).unwrap_or(0);
            let mut subgroup = vk::PhysicalDeviceSubgroupProperties::default();
            let mut driver = vk::PhysicalDeviceDriverProperties::default();
            let mut properties =
                vk::PhysicalDeviceProperties2::default().push_next(&mut subgroup).push_next(&mut driver);
            instance.get_physical_device_properties2(physical, &mut properties);
            let text = |chars: &[std::ffi::c_char]| {
                let bytes = chars.iter().take_while(|&&char| char != 0);
                bytes.map(|&char| char as u8 as char).collect::<String>()
            };
            let name = format!("{} {}", text(&driver.driver_name), text(&driver.driver_info));
            Ok(Device {
                queue: device.get_device_queue(0, 0),
                subgroup: subgroup.subgroup_size,
                memory_type: memory_type as u32,
                _entry: entry,
                instance,
                device,
                pool,
                name,
            })
        }
    }

    /// Runs a shader; what it leaves. `colours` are the colour locations it writes, with the kind of their numbers.
    pub(crate) fn run(&self, dispatch: &Dispatch<'_>, colours: &[(u32, vk::Format)]) -> Failure<Left> {
        let mut made = Made::new(&self.device);
        let mut left = Left::default();
        // SAFETY: the module was found valid by the caller; everything made is in `made`, which outlives its use.
        unsafe {
            let mut buffers = BTreeMap::new();
            for (&slot, (uniform, list)) in dispatch.buffers {
                let usage = match uniform {
                    true => vk::BufferUsageFlags::UNIFORM_BUFFER,
                    false => vk::BufferUsageFlags::STORAGE_BUFFER,
                };
                let filled = list.iter().map(|bytes| self.fill(bytes, usage, &mut made));
                buffers.insert(slot, filled.collect::<Failure<Vec<_>>>()?);
            }
            self.lay_out(dispatch, &buffers, &mut made)?;
            let sets = self.bind(dispatch, &buffers, &mut made)?;
            match dispatch.work {
                Work::Groups(groups) => self.compute(dispatch, groups, &sets, &mut made)?,
                Work::Frame(frame) => left.colours = self.draw(dispatch, frame, colours, &sets, &mut made)?,
            }
            for (&slot, list) in &buffers {
                let lengths = dispatch.buffers[&slot].1.iter().map(Vec::len);
                let read = list.iter().zip(lengths).map(|(one, length)| self.read(one, length));
                left.buffers.insert(slot, read.collect::<Failure<Vec<_>>>()?);
            }
        }
        Ok(left)
    }

    /// The first bytes of a buffer.
    pub(super) unsafe fn read(&self, one: &Buffer, length: usize) -> Failure<Vec<u8>> {
        let flags = vk::MemoryMapFlags::empty();
        // SAFETY: as for `run`.
        unsafe {
            let at = self.device.map_memory(one.memory, 0, one.size, flags).map_err(says("no mapping"))?;
            let bytes = std::slice::from_raw_parts(at.cast::<u8>(), length.min(one.size as usize)).to_vec();
            self.device.unmap_memory(one.memory);
            Ok(bytes)
        }
    }

    /// A new buffer with these bytes.
    pub(super) unsafe fn fill(
        &self,
        bytes: &[u8],
        usage: vk::BufferUsageFlags,
        made: &mut Made<'_>,
    ) -> Failure<Buffer> {
        let info = vk::BufferCreateInfo::default().size(bytes.len().max(4) as u64).usage(usage);
        // SAFETY: as for `run`.
        unsafe {
            let buffer = self.device.create_buffer(&info, None).map_err(says("no buffer"))?;
            made.buffers.push(buffer);
            let memory = self.memory(self.device.get_buffer_memory_requirements(buffer).size, made)?;
            let size = self.device.get_buffer_memory_requirements(buffer).size;
            self.device.bind_buffer_memory(buffer, memory, 0).map_err(says("no binding"))?;
            let flags = vk::MemoryMapFlags::empty();
            let at = self.device.map_memory(memory, 0, size, flags).map_err(says("no mapping"))?;
            std::ptr::write_bytes(at.cast::<u8>(), 0, size as usize);
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), at.cast::<u8>(), bytes.len());
            self.device.unmap_memory(memory);
            Ok(Buffer { buffer, memory, size })
        }
    }

    /// New memory.
    pub(super) unsafe fn memory(&self, size: u64, made: &mut Made<'_>) -> Failure<vk::DeviceMemory> {
        let info =
            vk::MemoryAllocateInfo::default().allocation_size(size).memory_type_index(self.memory_type);
        // SAFETY: as for `run`.
        let memory = unsafe { self.device.allocate_memory(&info, None) }.map_err(says("no memory"))?;
        made.memories.push(memory);
        Ok(memory)
    }

    /// Layouts of what is bound, and the shader.
    unsafe fn lay_out(
        &self,
        dispatch: &Dispatch<'_>,
        buffers: &BTreeMap<Slot, Vec<Buffer>>,
        made: &mut Made<'_>,
    ) -> Failure<()> {
        // SAFETY: as for `run`.
        unsafe {
            let sets = buffers.keys().map(|&(set, _)| set + 1).max().unwrap_or(0);
            for set in 0..sets {
                let of_set = buffers.iter().filter(|(slot, _)| slot.0 == set);
                let binding = |(slot, list): (&Slot, &Vec<Buffer>)| {
                    vk::DescriptorSetLayoutBinding::default()
                        .binding(slot.1)
                        .descriptor_type(dispatch.kind(slot))
                        .descriptor_count(list.len() as u32)
                        .stage_flags(STAGES)
                };
                let bindings: Vec<_> = of_set.map(binding).collect();
                let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
                let layout =
                    self.device.create_descriptor_set_layout(&info, None).map_err(says("no layout"))?;
                made.layouts.push(layout);
            }
            let size = dispatch.push.len() as u32;
            let pushes = [vk::PushConstantRange::default().stage_flags(STAGES).size(size)];
            let mut info = vk::PipelineLayoutCreateInfo::default().set_layouts(&made.layouts);
            if !dispatch.push.is_empty() {
                info = info.push_constant_ranges(&pushes);
            }
            made.pipeline_layout =
                self.device.create_pipeline_layout(&info, None).map_err(says("no layout"))?;
            let info = vk::ShaderModuleCreateInfo::default().code(dispatch.words);
            made.shader = self.device.create_shader_module(&info, None).map_err(says("no shader"))?;
        }
        Ok(())
    }

    unsafe fn compute(
        &self,
        dispatch: &Dispatch<'_>,
        [x, y, z]: [u32; 3],
        sets: &[vk::DescriptorSet],
        made: &mut Made<'_>,
    ) -> Failure<()> {
        let (entries, data) = dispatch.special();
        let special = vk::SpecializationInfo::default().map_entries(&entries).data(&data);
        let name = dispatch.name()?;
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(made.shader)
            .name(&name)
            .specialization_info(&special);
        let info = vk::ComputePipelineCreateInfo::default().stage(stage).layout(made.pipeline_layout);
        // SAFETY: as for `run`.
        unsafe {
            let pipelines = self.device.create_compute_pipelines(vk::PipelineCache::null(), &[info], None);
            made.pipeline = pipelines.map_err(|(_, error)| format!("no pipeline: {error}"))?[0];
            self.submit(|list| {
                self.bound(list, vk::PipelineBindPoint::COMPUTE, dispatch, sets, made);
                self.device.cmd_dispatch(list, x, y, z);
            })
        }
    }

    /// Binds the pipeline and what it reads.
    pub(super) unsafe fn bound(
        &self,
        list: vk::CommandBuffer,
        point: vk::PipelineBindPoint,
        dispatch: &Dispatch<'_>,
        sets: &[vk::DescriptorSet],
        made: &Made<'_>,
    ) {
        // SAFETY: as for `run`.
        unsafe {
            self.device.cmd_bind_pipeline(list, point, made.pipeline);
            if !sets.is_empty() {
                self.device.cmd_bind_descriptor_sets(list, point, made.pipeline_layout, 0, sets, &[]);
            }
            if !dispatch.push.is_empty() {
                self.device.cmd_push_constants(list, made.pipeline_layout, STAGES, 0, dispatch.push);
            }
        }
    }

    /// Records commands, runs them and waits for them.
    pub(super) unsafe fn submit(&self, record: impl FnOnce(vk::CommandBuffer)) -> Failure<()> {
        let info = vk::CommandBufferAllocateInfo::default().command_pool(self.pool).command_buffer_count(1);
        let begin = vk::CommandBufferBeginInfo::default();
        let wrong = says("not run");
        // SAFETY: as for `run`.
        unsafe {
            let lists = self.device.allocate_command_buffers(&info).map_err(&wrong)?;
            self.device.begin_command_buffer(lists[0], &begin).map_err(&wrong)?;
            record(lists[0]);
            self.device.end_command_buffer(lists[0]).map_err(&wrong)?;
            let submit = [vk::SubmitInfo::default().command_buffers(&lists)];
            self.device.queue_submit(self.queue, &submit, vk::Fence::null()).map_err(&wrong)?;
            self.device.queue_wait_idle(self.queue).map_err(&wrong)?;
            self.device.free_command_buffers(self.pool, &lists);
        }
        Ok(())
    }

    unsafe fn bind(
        &self,
        dispatch: &Dispatch<'_>,
        buffers: &BTreeMap<Slot, Vec<Buffer>>,
        made: &mut Made<'_>,
    ) -> Failure<Vec<vk::DescriptorSet>> {
        if made.layouts.is_empty() {
            return Ok(Vec::new());
        }
        let most = buffers.values().map(Vec::len).sum::<usize>().max(1) as u32;
        let sizes = [vk::DescriptorType::UNIFORM_BUFFER, vk::DescriptorType::STORAGE_BUFFER]
            .map(|kind| vk::DescriptorPoolSize::default().ty(kind).descriptor_count(most));
        let info =
            vk::DescriptorPoolCreateInfo::default().max_sets(made.layouts.len() as u32).pool_sizes(&sizes);
        // SAFETY: as for `run`.
        unsafe {
            made.pool = self.device.create_descriptor_pool(&info, None).map_err(says("no descriptors"))?;
            let info = vk::DescriptorSetAllocateInfo::default()
                .descriptor_pool(made.pool)
                .set_layouts(&made.layouts);
            let sets = self.device.allocate_descriptor_sets(&info).map_err(says("no descriptors"))?;
            for (slot, list) in buffers {
                let infos: Vec<_> = list
                    .iter()
                    .map(|one| vk::DescriptorBufferInfo::default().buffer(one.buffer).range(vk::WHOLE_SIZE))
                    .collect();
                let write = vk::WriteDescriptorSet::default()
                    .dst_set(sets[slot.0 as usize])
                    .dst_binding(slot.1)
                    .descriptor_type(dispatch.kind(slot))
                    .buffer_info(&infos);
                self.device.update_descriptor_sets(&[write], &[]);
            }
            Ok(sets)
        }
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        // SAFETY: everything made from these is gone.
        unsafe {
            self.device.destroy_command_pool(self.pool, None);
            self.device.destroy_device(None);
            self.instance.destroy_instance(None);
        }
    }
}

macro_rules! made {
    ($($field:ident: $ty:ty = $destroy:ident;)*) => {
        /// Objects made for a run, to be destroyed after it.
        pub(super) struct Made<'d> {
            device: &'d ash::Device,
            pub(super) layouts: Vec<vk::DescriptorSetLayout>,
            pub(super) buffers: Vec<vk::Buffer>,
            pub(super) images: Vec<vk::Image>,
            pub(super) views: Vec<vk::ImageView>,
            pub(super) memories: Vec<vk::DeviceMemory>,
            $(pub(super) $field: $ty,)*
        }

        impl<'d> Made<'d> {
            fn new(device: &'d ash::Device) -> Made<'d> {
                Made {
                    device,
                    layouts: Vec::new(),
                    buffers: Vec::new(),
                    images: Vec::new(),
                    views: Vec::new(),
                    memories: Vec::new(),
                    $($field: <$ty>::null(),)*
                }
            }
        }

        impl Drop for Made<'_> {
            fn drop(&mut self) {
                // SAFETY: the queue is idle; null handles are allowed everywhere here.
                unsafe {
                    $(self.device.$destroy(self.$field, None);)*
                    self.layouts.iter().for_each(|&it| self.device.destroy_descriptor_set_layout(it, None));
                    self.views.iter().for_each(|&it| self.device.destroy_image_view(it, None));
                    self.buffers.iter().for_each(|&it| self.device.destroy_buffer(it, None));
                    self.images.iter().for_each(|&it| self.device.destroy_image(it, None));
                    self.memories.iter().for_each(|&it| self.device.free_memory(it, None));
                }
            }
        }
    };
}

made! {
    frame: vk::Framebuffer = destroy_framebuffer;
    pipeline: vk::Pipeline = destroy_pipeline;
    pass: vk::RenderPass = destroy_render_pass;
    shader: vk::ShaderModule = destroy_shader_module;
    vertex: vk::ShaderModule = destroy_shader_module;
    pipeline_layout: vk::PipelineLayout = destroy_pipeline_layout;
    pool: vk::DescriptorPool = destroy_descriptor_pool;
}
